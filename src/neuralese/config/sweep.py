"""Sweeps: every combination of the swept values is a point, and points share what does not depend on it.

A layer is a set of files that depend on the same sections of the config. For a point and a task, each layer has a
folder, named after the values of the point that the layer depends on and that differ from the config's.

point_folders({"agent.noise": 0.1}, "colors", config)
# {"data": "results", "humans": "results", "agents": "results/sweep/agent.noise=0.1", "results": ...}
"""

from collections.abc import Mapping
from typing import Any

from neuralese.config.load import overlay, points

Value = int | float | bool | str
Point = Mapping[str, Value]  # dotted key -> value

OWN = "{task}"  # stands for the section that is named after a task
LAYERS: dict[str, frozenset[str] | None] = {  # the sections that a layer depends on; results depend on all
    "data": frozenset({OWN}),
    "humans": frozenset({OWN, "games", "speakers"}),
    "agents": frozenset({OWN, "games", "agent", "training"}),
    "results": None,
}


def relevant(point: Point, layer: str, task: str, config: Mapping[str, Any]) -> dict[str, Value]:
    """The values of a point that a task's files of a layer depend on; in a key, `*` stands for any task."""
    sections, others = LAYERS[layer], set(config["games"]) - {task}
    kept = {}
    for every, value in point.items():
        path = (key := every.replace("*", task)).split(".")
        known = sections is None or (OWN if path[0] == task else path[0]) in sections
        if known and not others & set(path[:2]) and _look_up(config, path) != value:
            kept[key] = value
    return kept


def point_folders(point: Point, task: str, config: Mapping[str, Any]) -> dict[str, str]:
    """The folder of each layer of a task at a point."""
    names = {layer: name(relevant(point, layer, task, config)) for layer in LAYERS}
    return {layer: f"{config['results']}/sweep/{each}" if each else config["results"] for layer, each in names.items()}


def modules(config: Mapping[str, Any]) -> dict[str, tuple[dict[str, str], dict[str, Any]]]:
    """A module for each folder of results: the folders of its layers, and its config with the layers that it makes.

    The first module with a folder makes what is in it; the others only read that.
    """
    found: dict[str, tuple[dict[str, str], dict[str, Any]]] = {}
    made = {(layer, config["results"]) for layer in LAYERS}
    for point in points(config["sweep"]):
        for task in config["tasks"]:
            folders = point_folders(point, task, config)
            own = [each for each in folders.items() if each not in made]
            made.update(own)
            if ("results", folders["results"]) in own:
                layers = [layer for layer, _ in own if layer != "results"]
                laid = overlay(config, relevant(point, "results", task, config)) | {"layers": layers}
                found[f"point{len(found)}_"] = folders, laid
    return found


def name(point: Point) -> str:
    """The name of a point's folder, such as `agent.noise=0.1,dictionary.n_best=5`."""
    return ",".join(f"{key}={value}" for key, value in point.items())


def _look_up(config: Any, path: list[str]) -> Any:
    for key in path:
        config = config.get(key) if isinstance(config, dict) else None
    return config
