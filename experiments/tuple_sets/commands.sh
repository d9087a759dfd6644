# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# features: Order and count features beside 8x6
tdl run experiment=features hydra.sweep.dir=outputs/features
python -m experiments.tools.collect tuple_sets/features outputs/features
tdl run experiment=features episodes=1000000 budget.moves=70000000 hydra.sweep.dir=outputs/features_moves
python -m experiments.tools.collect tuple_sets/features outputs/features_moves into=outputs/features_moves    # by_moves.csv

# tuple_sets: Sets of tuples at equal games and at equal moves
tdl run experiment=tuple_sets hydra.sweep.dir=outputs/tuple_sets
python -m experiments.tools.collect tuple_sets outputs/tuple_sets
tdl run experiment=tuple_sets episodes=1000000 budget.moves=50000000 save.final=false hydra.sweep.dir=outputs/tuple_sets_moves
python -m experiments.tools.collect tuple_sets outputs/tuple_sets_moves into=outputs/tuple_sets_moves    # by_moves.csv here
