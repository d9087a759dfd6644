"""Whether another program's environment plays by the rules: `tdl rules`."""
