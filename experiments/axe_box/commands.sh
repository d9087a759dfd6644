# Makes the csv files and figures of this page: every command, in order. `make experiments` runs a fiftieth of it.

tdl run experiment=axe_box seed='range(0,10)' hydra.sweep.dir=outputs/axe_box
tdl run experiment=axe_box alpha=0.025,0.05,0.07,0.2 seed='range(5,10)' hydra.sweep.dir=outputs/axe_box_steps
tdl run experiment=axe_box learner.update_symmetries=true,false learner.rechoose=false learner.clear_last=false hydra.sweep.dir=outputs/axe_box_plain
tdl run experiment=axe_box learner.clear_last=false hydra.sweep.dir=outputs/axe_box_rechoose
tdl run experiment=axe_box learner.update_symmetries=true,false learner.clear_last=afterstate hydra.sweep.dir=outputs/axe_box_afterstate
python -m experiments.tools.collect axe_box outputs/axe_box outputs/axe_box_plain outputs/axe_box_rechoose outputs/axe_box_afterstate by=learner.update_symmetries,learner.rechoose,learner.clear_last
python -m experiments.tools.collect axe_box outputs/axe_box outputs/axe_box_steps by=alpha into=outputs/axe_box_steps    # steps.csv here
