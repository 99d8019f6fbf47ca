"""Requests to a page's server, over real HTTP."""

import http.client
import json


def ask(server, method, name, body=None, token=None, **headers):
    """Status, headers and body of an answer; `name` comes after the token."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    path = f"/{server.token if token is None else token}/{name}"
    content = json.dumps(body) if isinstance(body, dict) else body
    try:
        connection.request(method, path, content, headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def post(server, name, body, **headers):
    status, _, content = ask(server, "POST", name, body, **headers)
    return status, json.loads(content)
