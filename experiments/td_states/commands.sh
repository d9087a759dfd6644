# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

# td_states: TD(0) on states, 4x6, alpha .1
tdl run experiment=td_states hydra.sweep.dir=outputs/td_states
tdl run experiment=td_states learner.reward_shift=true learner.running_value=true hydra.sweep.dir=outputs/td_states_running
python -m experiments.tools.collect td_states outputs/td_states outputs/td_states_running by=learner.reward_shift,learner.running_value

# td_states_alpha: The step size of TD(0) on states, 4x6, 10,000 games
tdl run experiment=td_states_alpha hydra.sweep.dir=outputs/td_states_alpha
tdl run experiment=td_states_alpha learner.reward_shift=true learner.running_value=true hydra.sweep.dir=outputs/td_states_alpha_running
tdl run experiment=td_states_alpha alpha=0.9 learner.reward_shift=false tuples.share=false hydra.sweep.dir=outputs/td_states_alpha_unshared
python -m experiments.tools.collect td_states/td_states_alpha outputs/td_states_alpha outputs/td_states_alpha_running outputs/td_states_alpha_unshared by=tuples.share,learner.reward_shift,learner.running_value,alpha
tdl run experiment=td_states_alpha learner.reward_shift=true learner.running_value=true seed='range(5,10)' hydra.sweep.dir=outputs/td_states_alpha_fresh
python -m experiments.tools.collect td_states/td_states_alpha outputs/td_states_alpha_fresh by=tuples.share,learner.reward_shift,learner.running_value,alpha into=outputs/td_states_alpha_fresh    # fresh.csv here
