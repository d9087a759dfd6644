# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=poor_tuples hydra.sweep.dir=outputs/poor_tuples
tdl run experiment=poor_tuples "tuples.cells=[[0,1,2,3],[4,5,6,7],[0,1,2,4,5,6],[4,5,6,8,9,10]]" learner.stored_value=true lanes=1 "seed=range(0,10)" hydra.sweep.dir=outputs/poor_tuples_stored
python -m experiments.tools.collect poor_tuples outputs/poor_tuples outputs/poor_tuples_stored by=tuples.cells,learner.stored_value
# collapsed.csv, by Python:
#     import tdl.results
#     b = tdl.results.load("outputs/poor_tuples_stored")
#     b = b[(b["episode"] > 50_000) & b["mean"].between(7_000, 8_400)].sort_values("max").round({"mean": 1})
#     b[["seed", "episode", "mean", "max", "reach_2048"]].to_csv("experiments/poor_tuples/collapsed.csv", index=False)
