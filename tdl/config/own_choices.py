"""The user's own choices as a source of Hydra's: files of the folder, checked, and games that are registered."""

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from tdl.config.choice_files import GROUPS, WIDE, package_of
from tdl.config.files import group_file, group_text, own_names, own_values

SCHEME = "tdl"


class OwnChoices(ConfigSource):
    """In the place of the folder itself, whose other files could set what they like."""

    @staticmethod
    def scheme() -> str:
        return SCHEME

    def available(self) -> bool:
        return True

    def is_group(self, config_path: str) -> bool:
        return config_path in GROUPS

    def is_config(self, config_path: str) -> bool:
        group, _, name = config_path.removesuffix(".yaml").rpartition("/")
        return name in own_names(group)

    def list(self, config_path: str, results_filter: ObjectType | None) -> list[str]:
        if config_path:
            return own_names(config_path) if results_filter != ObjectType.GROUP else []
        return list(GROUPS) if results_filter != ObjectType.CONFIG else []

    def load_config(self, config_path: str) -> ConfigResult:
        group, _, name = config_path.removesuffix(".yaml").rpartition("/")
        group_file(group, name)  # refuses one that builds on itself, which Hydra would follow for ever
        header = {"package": package_of(group_text(group, name)) if group in WIDE else None}
        return ConfigResult(self.provider, self.full_path(), OmegaConf.create(own_values(group, name)), header)


class OwnPath(SearchPathPlugin):
    """Lets Hydra look there, where it looks for tdl's own: other programs of this process have nothing of it."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        if any(source.path == "pkg://tdl.conf" for source in search_path.get_path()):
            search_path.append("own", f"{SCHEME}://own")


def register() -> None:
    """Make them known to Hydra."""
    for plugin in (OwnChoices, OwnPath):
        Plugins.instance().register(plugin)
