"""Copies a run, as it was at a checkpoint that it kept, to a folder of its own, from which `tdl run resume=` goes on.

    tdl run learner=tc learner.schedule=[1000:1.4,80%:0.7] budget.moves=3e7 save.moves=[8000000] out=outputs/long
    python -m experiments.tools.branch outputs/long 18000 outputs/short    # an episode of outputs/long/kept
    tdl run resume=outputs/short budget.moves=1e7

Runs that differ in their budget alone, and whose steps change at shares of it, are one and the same up to the first
share. So one long run, and a branch for each smaller budget, have the bits that a run of each budget has.
"""

import shutil
import sys

from tdl.storage.run_folder import RunFolder


def main(run: str, episode: str, target: str) -> None:
    source, branch = RunFolder(run), RunFolder(target)
    snapshots = {int(folder.name): folder for folder in sorted(source.kept.glob("*"))}
    if int(episode) not in snapshots:
        known = ", ".join(map(str, snapshots)) or "none"
        sys.exit(f"{run}: keeps no checkpoint of episode {episode}; kept are: {known}")
    if branch.path.exists():
        sys.exit(f"{target}: is there already")
    branch.path.mkdir(parents=True)
    for file in (source.result, source.blocks, source.episodes, source.log):
        shutil.copy2(file, branch.path / file.name)  # a run that goes on cuts them to its checkpoint
    shutil.copytree(snapshots[int(episode)], branch.checkpoint)


if __name__ == "__main__":
    main(*sys.argv[1:])
