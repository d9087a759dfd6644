"""The configuration files, installed as `tdl.conf`."""
