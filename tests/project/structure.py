"""The drawn structure of the packages, made from their imports: :func:`structure`."""

from tests.project.imports import PACKAGES, folders, levels, modules, siblings


def structure() -> str:
    """A Mermaid flowchart of packages, folders and layers of files; an arrow means "imports"."""
    lines = ["```mermaid", "flowchart TD"]
    for package in reversed(PACKAGES):
        lines += _drawn(package, "  ")
    lines += ["  train --> agents", "  agents --> uno_env", "```"]
    return "\n".join(lines)


def _drawn(folder: str, indent: str) -> list[str]:
    """A folder as a subgraph: its folders, and its files layer by layer."""
    layers = levels({name: targets - {folder} for name, targets in siblings(folder).items() if name != folder})
    nodes: dict[str, str] = {}
    lines = [f'{indent}subgraph {_id(folder)}["{folder.rpartition(".")[2]}/"]']
    for depth, layer in enumerate(layers):
        files = [name for name in layer if name not in folders()]
        if files:
            label = "<br>".join(name.rpartition(".")[2] for name in files)
            lines.append(f'{indent}  {_id(folder)}_{depth}["{label}"]')
        nodes |= dict.fromkeys(files, f"{_id(folder)}_{depth}")
        for inner in (name for name in layer if name in folders()):
            nodes[inner] = _id(inner)
            if any(other.startswith(f"{inner}.") for other in folders()):
                lines += _drawn(inner, indent + "  ")
            else:
                lines.append(f'{indent}  {_id(inner)}(["{inner.rpartition(".")[2]}/"])')
    lines += [f"{indent}  {above} --> {below}" for above, below in _arrows(folder, nodes)]
    return [*lines, f"{indent}end"]


def _arrows(folder: str, nodes: dict[str, str]) -> list[tuple[str, str]]:
    """Who imports whom, without the arrows that follow from others."""
    below: dict[str, set[str]] = {node: set() for node in nodes.values()}
    for name, targets in siblings(folder).items():
        if name in nodes:
            below[nodes[name]] |= {nodes[target] for target in targets if target in nodes} - {nodes[name]}
    reached = {node: _reached(node, below) for node in below}
    return [
        (node, target)
        for node, targets in below.items()
        for target in sorted(targets)
        if not any(target in reached[other] for other in targets - {target})
    ]


def _reached(node: str, below: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = set(below[node])
    while waiting:
        found.add(other := waiting.pop())
        waiting |= below[other] - found
    return found


def _id(dotted: str) -> str:
    return dotted.replace(".", "_")


assert modules()
