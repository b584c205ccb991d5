"""The option ``--as`` of commands that record who did something."""

import click

from reviewer.cli.app_launch import OWN_NAME, own_name

as_option = click.option("--as", "who", default=own_name, help=f"Your name. {OWN_NAME}")
