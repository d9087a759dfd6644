"""What `--help` says: the groups that a program uses, its keys with their comments, and more about one of them."""

import re
import textwrap

from tdl.config import hydra_versions
from tdl.config.files import CONF, group_names, group_text, groups
from tdl.errors import ConfigError, nearest

HOMES = {
    "game": "2048",
    "tiles": "p90_10",
    "tuples": "4x6",
    "learner": "td",
    "placer": "adversary",
    "search": "expectimax",
    "agent": "dqn",
}
"""The choice of each group in whose file every key has its comment."""

COLUMN, WIDTH = 24, 120
"""Where comments begin, and where lines end."""


def register(program: str) -> None:
    """Make known to Hydra what its `--help` shows of `conf/<program>.yaml`."""
    hydra_versions.register_resolver("tdl_described_keys", lambda: keys_text(program).replace("$", "$$"))  # a template
    hydra_versions.register_resolver("tdl_described_groups", lambda: groups_text(program))


def groups_text(program: str) -> str:
    """A line for each group, as those of keys are: what holds if nothing is said, and all choices."""
    lines = []
    for group, choice in groups(program).items():
        head = f"{group}: {'null' if choice is None else choice}"
        text = textwrap.wrap(", ".join(group_names(group)), WIDTH - COLUMN - 2, break_long_words=False)
        lines += [f"{head if not number else '':{COLUMN}}# {line}" for number, line in enumerate(text)]
    return "\n".join(lines)


def keys_text(program: str) -> str:
    """The keys of `conf/<program>.yaml` with their comments, those of sweeps, which stand with Hydra's, last."""
    text = (CONF / f"{program}.yaml").read_text(encoding="utf-8")
    _, sign, swept = text.partition("\n      race:")
    text = text[text.index("\ndefaults:") : text.index("\nhydra:")]
    of_sweep = textwrap.dedent(f"      {sign.strip()}{swept}").replace('"on": false', "on: false  ")
    return text[text.index("\n\n") + 2 :] + (f"\n{of_sweep}" if sign else "")


def described(program: str, word: str) -> str:
    """More about a group, a choice of one (`learner=tc`), a section or a key.

    Raises
    ------
    ConfigError : the program has nothing of this name.
    """
    known, (name, _, choice) = groups(program), word.partition("=")
    if name in known and choice:
        return group_text(name, choice)
    if name in known:
        return _group(name, known[name])
    section, _, key = name.partition(".")
    if lines := _lines(keys_text(program), name):
        return lines
    if key and section in HOMES and section in known and (lines := _lines(group_text(section, HOMES[section]), key)):
        return lines
    names = [*known, *re.findall(r"^(\w+):", keys_text(program), re.M)]
    raise ConfigError(f"--help {word}: neither a group nor a key of this program{nearest(word, names)}")


def _group(group: str, usual: str | None) -> str:
    """The choices of a group with the first sentence of each, and its keys with their comments."""
    lines = [f"{group}=CHOICE{'' if usual is None else f', {usual} if nothing is said'}"]
    names = group_names(group)
    width = max(map(len, names))
    for name in names:
        sentence = _first_sentence(group_text(group, name))
        lines.append(f"  {name:{width}}  {textwrap.shorten(sentence, WIDTH - width - 4, placeholder=' ...')}")
    if group in HOMES:
        text = group_text(group, HOMES[group])
        lines += ["", f"Keys, as {group}.KEY=value, with the values of {group}={HOMES[group]}", "", _body(text)]
    else:
        lines.append("")
    return "\n".join(lines)


def _first_sentence(text: str) -> str:
    """What the comment at the beginning of a file says first, without commands and what is meant for Hydra."""
    comment = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith(("# @", "# tdl ", "# python -m")):
            comment.append(line.removeprefix("# "))
    return re.split(r"(?<=[\w)])[.] (?=[A-Z])", " ".join(comment))[0].rstrip(".")


def _body(text: str) -> str:
    """A file without the comment at its beginning, and without what it builds on."""
    lines = text.splitlines(keepends=True)
    while lines and lines[0].startswith("#"):
        lines.pop(0)
    return re.sub(r"^defaults:\n(?: .*\n)*\n?", "", "".join(lines))


def _lines(text: str, key: str) -> str:
    """The lines of a key or a section, with the comments that go on below; nothing where there is none."""
    lines: list[str] = []
    section, depth = "", -1
    for line in text.splitlines(keepends=True):
        name = re.match(r"( *)(\w+):", line)
        if (name and depth >= 0 and len(name[1]) <= depth) or not line.strip():
            depth = -1
        if name:
            section = section if name[1] else name[2]
            if key == (f"{section}.{name[2]}" if name[1] else name[2]):
                depth = len(name[1])
        if depth >= 0:
            lines.append(line)
    return "".join(lines)
