"""The games as Gymnasium environments: `import tdl.gym` registers `tdl/Game-v0`, alone and vectorised."""

from tdl.base.distribution import install

try:
    import gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise ImportError(f"tdl.gym needs gymnasium, which is not installed: {install('gym')}") from error

from tdl.gym.env import GameEnv, GameVectorEnv
from tdl.gym.observed_boards import ILLEGAL, OBSERVATIONS, RENDER_MODES, REWARDS

__all__ = ["ID", "ILLEGAL", "OBSERVATIONS", "RENDER_MODES", "REWARDS", "GameEnv", "GameVectorEnv"]

ID = "tdl/Game-v0"

gymnasium.register(id=ID, entry_point=f"{__name__}:GameEnv", vector_entry_point=f"{__name__}:GameVectorEnv")
