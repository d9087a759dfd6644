# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=tc5_4x6 hydra.sweep.dir=outputs/plies_networks 'hydra.sweep.subdir=${seed}'
tdl evaluate -m checkpoint=outputs/plies_networks/0,outputs/plies_networks/1,outputs/plies_networks/2,outputs/plies_networks/3,outputs/plies_networks/4 evaluate.plies=1,2,3 threads=2 hydra.sweep.dir=outputs/plies
python -m experiments.tools.collect plies outputs/plies
