# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=published_dqn hydra.sweep.dir=outputs/published_dqn 'hydra.sweep.subdir=${seed}'
tdl run resume=outputs/published_dqn/0 episodes=6000
tdl evaluate -m checkpoint=outputs/published_dqn/0/kept/0000002000,outputs/published_dqn/0/kept/0000004000,outputs/published_dqn/0/checkpoint,outputs/published_dqn/1/checkpoint,outputs/published_dqn/2/checkpoint hydra.sweep.dir=outputs/published_dqn_games/greedy
tdl evaluate -m checkpoint=outputs/published_dqn/0/kept/0000002000,outputs/published_dqn/0/kept/0000004000,outputs/published_dqn/0/checkpoint,outputs/published_dqn/1/checkpoint,outputs/published_dqn/2/checkpoint evaluate.plies=2 evaluate.drops=one hydra.sweep.dir=outputs/published_dqn_games/one
tdl evaluate -m checkpoint=outputs/published_dqn/0/kept/0000002000,outputs/published_dqn/0/kept/0000004000,outputs/published_dqn/0/checkpoint,outputs/published_dqn/1/checkpoint,outputs/published_dqn/2/checkpoint evaluate.plies=2 evaluate.episodes=100 hydra.sweep.dir=outputs/published_dqn_games/all
python -m experiments.published_dqn.analyse outputs/published_dqn outputs/published_dqn_games into=outputs/published_dqn_games
