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
python -m experiments.tools.figures best_searched
# milestones.csv: tdl evaluate FOLDER with evaluate.plies, evaluate.episodes and search.downgrade of its columns; FOLDER: seeds 30 to 32 of outputs/milestone, seed 32 also after 3 billion moves, 33 to 35 of outputs/curve
# ensemble.csv, of result.json: tdl evaluate 'checkpoint=[outputs/curve/milestones_10G_33,outputs/curve/milestones_10G_34]' evaluate.episodes=3000, and evaluate.plies=2 search.downgrade=14 evaluate.episodes=500
# ensemble.csv, four checkpoints: tdl run resume=FOLDER 'save.moves=[1880000000,1920000000,1960000000]' of a branch of outputs/curve/milestones_10G_33 after 1.6 billion moves with budget.moves=2000000000
# lowered.csv: python -m experiments.tools.chains FOLDER into=FILE.csv for games with one ply of three networks above, from 16384 on, one below the other
# twin.csv: commands.sh of unlearning
# The games with a time limit: tdl evaluate outputs/curve/milestones_10G_33 evaluate.plies=8 search.seconds=0.001 evaluate.episodes=36
