# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=td_afterstates hydra.sweep.dir=outputs/td_afterstates
python -m experiments.tools.collect td_afterstates outputs/td_afterstates
