# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=curve hydra.mode=RUN seed=20 budget.moves=2000000000 evaluate.episodes=0 out=outputs/best_searched_networks/20
tdl run experiment=curve hydra.mode=RUN seed=21 budget.moves=2000000000 evaluate.episodes=0 out=outputs/best_searched_networks/21
tdl run experiment=curve hydra.mode=RUN seed=22 budget.moves=2000000000 evaluate.episodes=0 out=outputs/best_searched_networks/22
tdl run experiment=tc5_8x6 hydra.mode=RUN seed=20 episodes=10000000 budget.moves=2000000000 evaluate.episodes=0 out=outputs/best_searched_networks/plain_20
tdl run experiment=tc5_8x6 hydra.mode=RUN seed=21 episodes=10000000 budget.moves=2000000000 evaluate.episodes=0 out=outputs/best_searched_networks/plain_21
tdl run experiment=tc5_8x6 hydra.mode=RUN seed=22 episodes=10000000 budget.moves=2000000000 evaluate.episodes=0 out=outputs/best_searched_networks/plain_22
tdl evaluate -m checkpoint=outputs/best_searched_networks/20,outputs/best_searched_networks/21,outputs/best_searched_networks/22,outputs/best_searched_networks/plain_20,outputs/best_searched_networks/plain_21,outputs/best_searched_networks/plain_22 evaluate.episodes=10000 search.downgrade=null,13 hydra.sweep.dir=outputs/best_searched
tdl evaluate -m checkpoint=outputs/best_searched_networks/20,outputs/best_searched_networks/21,outputs/best_searched_networks/22,outputs/best_searched_networks/plain_20,outputs/best_searched_networks/plain_21,outputs/best_searched_networks/plain_22 evaluate.plies=2 evaluate.episodes=1000 search.downgrade=null,13 hydra.sweep.dir=outputs/best_searched
tdl evaluate -m checkpoint=outputs/best_searched_networks/20,outputs/best_searched_networks/21,outputs/best_searched_networks/22,outputs/best_searched_networks/plain_20,outputs/best_searched_networks/plain_21,outputs/best_searched_networks/plain_22 evaluate.plies=3 evaluate.episodes=200 search.downgrade=13 hydra.sweep.dir=outputs/best_searched
python -m experiments.tools.collect best_searched outputs/best_searched by=tuples,evaluate.plies,search.downgrade
