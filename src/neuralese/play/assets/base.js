// What all pages share: asking the server, making elements, and reporting errors.

export const find = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export async function ask(path, body) {
  const asked = body === undefined ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  const answer = await fetch(path, asked);
  const value = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(value.error), { status: answer.status });
  return value;
}

export function sentence(error) {
  return error instanceof TypeError ? "The game does not respond; is it still running in the terminal?" : error.message;
}

let asking = false;

// One thing at a time: a double click counts once.
export async function once(action) {
  if (asking) return;
  asking = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await action();
  } finally {
    asking = false;
    document.body.setAttribute("aria-busy", "false");
  }
}

// The phrases that the dictionary knows, each as a button.
export function inventory(phrases, choose) {
  find("inventory").append(...phrases.map((phrase) => {
    const button = element("button", { type: "button", textContent: phrase });
    button.addEventListener("click", () => choose(phrase));
    return element("li", {}, button);
  }));
}
