"""Planning with learned binarized neural networks: drives the program fdplan.

    >>> import fdplan
    >>> plan = fdplan.plan("navigation/3x3", horizon=4)
    >>> plan.status, plan.reward
    ('optimal', -4.0)

The functions have the names of the program's commands. Their results are dataclasses with
the names of the JSON that the program prints; errors are exceptions.
:class:`Session` plans again and again without loading again.
"""

from .agent import PlanningAgent
from .attached import attached
from .commands import episodes, explain, plan, policy, run, show, simulate, validate, verify
from .env import SimulatorEnv
from .errors import (
    FdplanError,
    FdplanWarning,
    InputError,
    InternalError,
    Interrupted,
    LimitReached,
    MissingProgram,
    NoAnswer,
)
from .events import Event
from .job import Command, Job
from .learned import Acted, Collected, Converted, FluentErrors, Initialized, Measure, Proved, Tested, Trained
from .learning import collect, convert, init, learn, prove, test, train
from .policies import Policy, PolicyRow, PolicyStep
from .problem import Problem
from .results import (
    Bracket,
    Difference,
    Episodes,
    Evidence,
    Explanation,
    Fault,
    Observation,
    Plan,
    Proof,
    Property,
    Run,
    Shown,
    Simulated,
    Variable,
    Verdict,
    Verdicts,
    Witness,
)
from .session import Session, SessionProblem

__version__ = "0.1.0"

__all__ = [
    "Acted",
    "Bracket",
    "Collected",
    "Command",
    "Converted",
    "Difference",
    "Episodes",
    "Event",
    "Evidence",
    "Explanation",
    "Fault",
    "FdplanError",
    "FdplanWarning",
    "FluentErrors",
    "Initialized",
    "InputError",
    "InternalError",
    "Interrupted",
    "Job",
    "LimitReached",
    "Measure",
    "MissingProgram",
    "NoAnswer",
    "Observation",
    "Plan",
    "PlanningAgent",
    "Policy",
    "PolicyRow",
    "PolicyStep",
    "Problem",
    "Proof",
    "Property",
    "Proved",
    "Run",
    "Session",
    "SessionProblem",
    "Shown",
    "Simulated",
    "SimulatorEnv",
    "Tested",
    "Trained",
    "Variable",
    "Verdict",
    "Verdicts",
    "Witness",
    "attached",
    "collect",
    "convert",
    "episodes",
    "explain",
    "init",
    "learn",
    "plan",
    "policy",
    "prove",
    "run",
    "show",
    "simulate",
    "test",
    "train",
    "validate",
    "verify",
]
