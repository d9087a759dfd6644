"""Makes the tables of all experiments anew from their csv files, and docs/results.md from the experiments' pages.

    python experiments/results.py [--check]

Each experiment's README.md has its question, its command and its tables; docs/results.md has them all. With --check
nothing is written, and the exit code says whether anything would be.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from tables import TableError, filled

HERE = Path(__file__).parent
RESULTS = HERE.parent / "docs" / "results.md"

CHAPTERS = {
    "The published reports": ["r1_state", "r1_alpha", "r2_afterstate", "r2_poor", "r5_axe_box", "r4_dqn"],
    "2584": ["r3_adversary", "fib", "fib_learners", "fib_plies", "fib_engines", "fib_unshared", "adversary"],
    "The best recipes": ["best_100k", "best_300s"],
    "Learners": [
        "td0_4x6",
        "td5_4x6",
        "tc0_4x6",
        "tc5_4x6",
        "tc5_4x6_long",
        "tc5_8x6",
        "learners",
        "learners_seconds",
    ],
    "Tuples and features": ["tuple_sets", "features"],
    "Looking ahead": ["plies"],
    "Lanes and threads": ["lanes", "threads"],
    "Solved games": ["gap", "gap_learners", "solver_3x3"],
    "Agents": ["baselines"],
}

HEAD = """# Results

<!-- made by `python experiments/results.py` from the pages and csv files in experiments/ -->

Every experiment has a page in [experiments](../experiments) and a file in [conf/experiment](../conf/experiment); each
section below is such a page: its question, the command that makes its numbers, and the tables, made from its
`results.csv`.

"""

NOTES = """\
Intervals in brackets are 95%: Student's t over the runs of a setting (`runs`), which differ in the seed alone; where
a row is a single run, over its games. `mean_10k`, `max_10k` and `reach_2048_10k` are of the 1,000 training games that
end at the 10,000th; `greedy_mean` is the mean of the games after training, 1,000 where the page says nothing else,
`reach_2048` their share that made the tile. Beside a published figure, which is of one run and without an interval,
stands ours: `inside` if the published one lies in the interval of our mean, else by how much ours is above (+) or
below (-), and `within a run` if the published one still lies in the 95% interval of a single further run of ours.

Figures of "TDL2048+" and of the "public program" are measurements in the section's setting that the client made on the
CI machine and gave to us; no command here makes them, and they come without a spread. Unless a number of seeds stands
there, none was given. R1 to R5 are course reports, a series and an article whose programs the sections describe.
"""


def whole(pages: dict[str, str]) -> str:
    """The document of all pages."""
    listed = {slug for slugs in CHAPTERS.values() for slug in slugs}
    if odd := set(pages) ^ listed:
        raise TableError(f"{', '.join(sorted(odd))}: without a page or in no chapter of {Path(__file__).name}")
    parts, contents = [], []
    for chapter, slugs in CHAPTERS.items():
        parts.append(f"## {chapter}\n")
        contents.append(f"- **{chapter}**: " + ", ".join(f"[{slug}](#{_anchor(pages[slug])})" for slug in slugs))
        parts += [_section(slug, pages[slug]) for slug in slugs]
    return "\n".join([HEAD + "\n".join(contents), "", NOTES, *parts])


def _section(slug: str, page: str) -> str:
    """A page one level down, its links as seen from docs/."""

    def moved(found: re.Match[str]) -> str:
        target = found[1]
        if "://" in target or target.startswith("#"):
            return found[0]
        path, *anchor = target.split("#")
        moved = os.path.relpath(HERE / slug / path, RESULTS.parent)
        return f"]({'#'.join([moved, *anchor])})"

    page = re.sub(r"^<!-- .* -->\n\n?", "", page, flags=re.M)
    page = re.sub(r"^(#+) ", r"##\1 ", page, flags=re.M)
    title, body = page.split("\n", 1)
    config = f"[conf/experiment/{slug}.yaml](../conf/experiment/{slug}.yaml), "
    if not (HERE.parent / "conf" / "experiment" / f"{slug}.yaml").exists():
        config = ""
    where = f"{config}[experiments/{slug}](../experiments/{slug})"
    body = re.sub(r"\]\(([^)]+)\)", moved, body)
    return f"{title}\n\n{where}\n{body}"


def _anchor(page: str) -> str:
    """What a heading is called in links, as GitHub does it."""
    title = page.split("\n", 1)[0].lstrip("# ")
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def main(*words: str) -> int:
    """Write what has changed, or say what would."""
    pages = {path.parent: filled(path) for path in sorted(HERE.glob("*/README.md"))}
    texts = {folder / "README.md": text for folder, text in pages.items()}
    texts[RESULTS] = whole({folder.name: text for folder, text in pages.items()})
    stale = [path for path, text in texts.items() if path.read_text() != text]
    for path in stale:
        print(path.relative_to(HERE.parent))
        if "--check" not in words:
            path.write_text(texts[path])
    return len(stale) if "--check" in words else 0


if __name__ == "__main__":
    try:
        sys.exit(bool(main(*sys.argv[1:])))
    except TableError as error:
        sys.exit(str(error))
