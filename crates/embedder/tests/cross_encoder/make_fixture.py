#!/usr/bin/env python3
"""Writes the files beside this script: two tiny cross-encoders, a BERT and an XLM-RoBERTa, and their scores.

The scores are from sentence-transformers' CrossEncoder with PyTorch: the reference for tests/cross_encoder.rs. The
weights are random, the first has the shape of the MiniLM cross-encoders; the second has the tokenizer of
tests/xlm_roberta. Run it in an environment of its own; the same versions write the same files. These are of torch
2.15.0, transformers 5.24.0 and sentence-transformers 6.2.0.

    python3 -m venv venv && venv/bin/pip install sentence-transformers torch transformers
    venv/bin/python crates/embedder/tests/cross_encoder/make_fixture.py
"""

import json
import string
import tempfile
from pathlib import Path

import torch
from sentence_transformers import CrossEncoder
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

FOLDER = Path(__file__).resolve().parent
SHAPE = {
    "hidden_size": 24,
    "num_attention_heads": 3,
    "num_hidden_layers": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 40,
    "hidden_act": "gelu",
    "num_labels": 1,
}
# The tokens of a pair; the tables of positions have room for more.
TOKENS = 31
TOKENS_OF_ROBERTA = 38

WORDS = """the a an of to in is was on at when where how who does did it and not kite string wind museum opens closes
monday sunday nine garden key dog cat eats soup fish allergy nuts bread house moves lisbon ada she he bought red blue
##s ##ed ##ing ##er flight leaves late""".split()

QUESTIONS = [
    "When does the museum open?",
    "who is allergic to nuts",
    "WHERE did Ada move",
    "",
    "the kite and the string and the wind and the garden and the key",
    "how " * 60,
]
PASSAGES = [
    "The museum opens at nine on Monday and closes on Sunday.",
    "He eats soup, bread and fish; nuts he does not.",
    "Ada bought a red house in Lisbon.",
    "a",
    "",
    "!?",
    "réd Blüe 日本 kites",
    "The flight leaves late. " * 40,
    "kite string " * 6,
]


def bert_tokenizer():
    """BERT's tokenizer, with letters for the words that it does not know."""
    signs = string.ascii_lowercase + string.digits + string.punctuation
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *signs, *("##" + sign for sign in string.ascii_lowercase)]
    pieces = list(dict.fromkeys(pieces + WORDS))
    tokenizer = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return tokenizer


def random_weights(network):
    """Large enough that every part of the network shows in the score."""
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.normal_(0.0, 0.3)
            if name.endswith("LayerNorm.weight"):
                parameter.add_(1.0)
    return network.eval()


def expected(network, tokenizer):
    """Question, passage, logit and its sigmoid, of each pair."""
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        reference = CrossEncoder(folder, device="cpu")
        parts = reference.tokenizer("who", "a kite").get("token_type_ids", [])
        assert (1 in parts) == (network.config.type_vocab_size == 2), "the reference sees the parts of a pair"
        pairs = [(question, passage) for question in QUESTIONS for passage in PASSAGES]
        # One by one: in a batch the padding changes the last digits.
        logits = [float(reference.predict([pair], activation_fn=torch.nn.Identity())[0]) for pair in pairs]
        scores = [float(reference.predict([pair], activation_fn=torch.nn.Sigmoid())[0]) for pair in pairs]
    lines = [
        json.dumps(
            {"question": question, "passage": passage, "logit": round(logit, 6), "sigmoid": round(score, 7)},
            ensure_ascii=False,
        )
        for (question, passage), logit, score in zip(pairs, logits, scores)
    ]
    return "[" + ",\n".join(lines) + "]\n"


def write(prefix, network, tokenizer, kept):
    """The files of one model."""
    with tempfile.TemporaryDirectory() as folder:
        network.save_pretrained(folder)
        (FOLDER / f"{prefix}model.safetensors").write_bytes((Path(folder) / "model.safetensors").read_bytes())
        config = json.loads((Path(folder) / "config.json").read_text())
    config = {key: value for key, value in config.items() if key in kept}
    (FOLDER / f"{prefix}config.json").write_text(json.dumps(config) + "\n")
    (FOLDER / f"{prefix}expected.json").write_text(expected(network, tokenizer), encoding="utf-8")


def main():
    torch.manual_seed(41)
    kept = {*SHAPE, "model_type", "architectures", "layer_norm_eps", "pad_token_id", "id2label", "label2id"}
    kept |= {"type_vocab_size", "vocab_size", "classifier_dropout"}

    tokenizer = bert_tokenizer()
    tokenizer.save(str(FOLDER / "tokenizer.json"), pretty=False)
    (FOLDER / "tokenizer_config.json").write_text(
        json.dumps({"model_max_length": TOKENS, "do_lower_case": True}) + "\n"
    )
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=TOKENS, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]",
        sep_token="[SEP]", mask_token="[MASK]", model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )  # fmt: skip
    config = BertConfig(**SHAPE, vocab_size=tokenizer.get_vocab_size(), type_vocab_size=2, layer_norm_eps=1e-12)
    write("", random_weights(BertForSequenceClassification(config)), fast, kept)

    tokenizer = Tokenizer.from_file(str(FOLDER.parent / "xlm_roberta/tokenizer.json"))
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=TOKENS_OF_ROBERTA, pad_token="<pad>", unk_token="<unk>",
        bos_token="<s>", eos_token="</s>", cls_token="<s>", sep_token="</s>", mask_token="<mask>",
        model_input_names=["input_ids", "attention_mask"],
    )  # fmt: skip
    config = XLMRobertaConfig(
        **SHAPE, vocab_size=tokenizer.get_vocab_size(), type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1
    )
    write("roberta_", random_weights(XLMRobertaForSequenceClassification(config)), fast, kept)


if __name__ == "__main__":
    main()
