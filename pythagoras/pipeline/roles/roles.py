"""Every role by its name."""

from __future__ import annotations

from typing import Any

from pythagoras.pipeline.roles.align import ALIGN
from pythagoras.pipeline.roles.distil import DISTIL
from pythagoras.pipeline.roles.formalise import FORMALISE
from pythagoras.pipeline.roles.informalise import INFORMALISE
from pythagoras.pipeline.roles.role import Role, RoleName
from pythagoras.pipeline.roles.vary import VARY

ROLES: dict[RoleName, Role[Any]] = {RoleName(role.name): role for role in (FORMALISE, INFORMALISE, ALIGN, DISTIL, VARY)}
