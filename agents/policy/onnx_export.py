"""Our saved policies as ONNX files, for programs that run any network: :func:`export_onnx`."""

import io
import warnings
from pathlib import Path
from typing import Any

from agents.policy.onnx_file import OnnxCard, set_card
from agents.policy.onnx_trial import parse_model
from agents.policy.policy_file import PolicyCard, PolicyError, Weights
from uno_env import Rules
from uno_env.common.files import replace_file

OPSET = 17
"""Of ONNX 1.12: programs of the last years read it."""
_EXTRAS = {"torch": "train"}
"""The extras that bring libraries, where it is not ``onnx``."""


def export_onnx(path: str | Path, weights: Weights, card: PolicyCard) -> None:
    """Write a policy of ours (:mod:`agents.policy.policy_file`) as an ONNX file, atomically;
    :mod:`agents.policy.onnx_file` says what it reads and gives. Raises PolicyError if the policy is for another
    edition than the first, a library is missing, or the file cannot be written.
    """
    edition = Rules.from_dict(card.rules).edition
    if edition != Rules().edition:
        raise PolicyError(
            f"a policy for the edition {edition!r} has no ONNX file: only one for {Rules().edition!r} has"
        )
    try:
        replace_file(Path(path), _model(weights, card))
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(error.name or "", "onnx")
        raise PolicyError(f"writing an ONNX file needs {error.name}: pip install 'uno-env[{extra}]'") from None
    except OSError as error:
        raise PolicyError(f"{str(path)!r} cannot be written: {error.strerror or error}") from None


def _model(weights: Weights, card: PolicyCard) -> bytes:
    import onnx  # noqa: F401 (PyTorch needs it, and would say so in other words)
    import torch

    from agents.policy.onnx_network import ExportedPolicy

    network = ExportedPolicy(weights, card)
    given = network.inputs(2)
    inputs, outputs = list(given), ["logits", "value", *(["probabilities"] if card.symmetry else [])]
    file: Any = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tables are constants, as they should be; dynamo=True takes 20 times as long
        torch.onnx.export(
            network, tuple(given.values()), file, input_names=inputs, output_names=outputs, opset_version=OPSET,
            dynamic_axes={name: {0: "N"} for name in (*inputs, *outputs)}, dynamo=False,
        )  # fmt: skip
    model = parse_model(file.getvalue())
    set_card(model, OnnxCard(
        rules=card.rules, trained_by=card.trained_by, evaluation=card.evaluation, more_players=card.more_players,
        random_rules=card.random_rules,
    ))  # fmt: skip
    return model.SerializeToString()
