#!/usr/bin/env python3
"""Writes the files beside this script: a tiny XLM-RoBERTa with a tokenizer of SentencePiece, and its embeddings.

The embeddings are from Hugging Face's transformers with PyTorch: the reference for tests/xlm_roberta.rs. The weights
are random, the shape is multilingual E5's. Run it in an environment of its own, whose versions the lines below name;
the same versions write the same files.

    python3 -m venv venv && venv/bin/pip install numpy protobuf safetensors sentencepiece torch transformers
    venv/bin/python crates/embedder/tests/xlm_roberta/make_fixture.py
"""

import base64
import io
import json
import tempfile
from pathlib import Path

import sentencepiece
import torch
from safetensors.torch import save_file
from sentencepiece import sentencepiece_model_pb2
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

FOLDER = Path(__file__).resolve().parent
PROMPTS = {"query": "query: ", "passage": "passage: "}
PIECES = 400
TOKENS = 38
SHAPE = {
    "hidden_size": 24,
    "num_attention_heads": 3,
    "num_hidden_layers": 2,
    "intermediate_size": 48,
    # Two more than TOKENS: XLM-RoBERTa's positions begin at 2.
    "max_position_embeddings": TOKENS + 2,
    "type_vocab_size": 1,
    "hidden_act": "gelu",
}

# A few of the replacements of nmt_nfkc, whose whole table has 240 kB: full width, ligatures, half-width katakana, blanks.
REPLACED = {"Ａ": "A", "ｆ": "f", "ﬁ": "fi", "™": "TM", "ｶ": "カ", "㌔": "キロ"}
REPLACED |= {"\u3000": " ", "\t": " ", "\n": " ", "\x01": ""}

TEXTS = [
    "Der Schornsteinfeger kommt am Montag um neun Uhr, die Straße wird gesperrt.",
    "Où se trouve l'hôtel le moins cher près de la gare ?",
    "El niño perdió su mochila en el autobús de la mañana.",
    "我喜欢住在旧城区的小旅馆,酒店的早餐有豆浆和油条。",
    "東京タワーの近くのカフェが好きです。",
    "أحب السفر بالقطار إلى المدينة القديمة",
    "Ёжик идёт домой по тёмному лесу.",
    "서울의 작은 찻집에서 만나요",
    "Pack 🧳 for Lisbon 🇵🇹 👩‍👩‍👧 ☀️",
    "Ａｆﬁ ™ ｶｶ ㌔ full\u3000width\ttab\nline\x01end",
    "e\u0301te\u0301 and été",
    "  blanks   in   a  row  ",
    "query: a text that begins like a prompt",
    "tokens <s> of </s> the <pad> model <mask> itself <unk> ▁▁",
    "unknown letters: ꙮ ᚠᚢᚦ 𓀀𓀁 x",
    "a",
    "!",
    "A very long text. " * 200,
    "漢" * 3000,
    "x" * 40000,
    "",
    " \t\n\u3000",
]


def train():
    """A model of SentencePiece for the texts."""
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.tsv"
        code_points = lambda text: " ".join(f"{ord(c):X}" for c in text)
        lines = [f"{code_points(old)}\t{code_points(new)}" for old, new in REPLACED.items()]
        rules.write_text("\n".join(lines) + "\n", encoding="utf-8")
        written = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([*TEXTS[:12] * 3, *PROMPTS.values()]),
            model_writer=written,
            model_type="unigram",
            vocab_size=PIECES,
            hard_vocab_limit=False,
            character_coverage=0.999,
            normalization_rule_tsv=str(rules),
            num_threads=1,
            minloglevel=2,
        )
    return written.getvalue()


def tokenizer_of(model):
    """tokenizer.json as transformers makes it of XLM-RoBERTa's model: pieces one further on, after four of fairseq."""
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(model)
    vocabulary = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    vocabulary += [(piece.piece, piece.score) for piece in proto.pieces[3:]] + [("<mask>", 0.0)]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(proto.normalizer_spec.precompiled_charsmap), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    metaspace = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace])
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def check_against_sentencepiece(tokenizer, model):
    """The pieces are those that SentencePiece itself cuts, but for the special tokens, which it does not know."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    for text in TEXTS:
        if "<" not in text:
            theirs = [3 if piece == 0 else piece + 1 for piece in processor.encode(text)]
            ours = tokenizer.encode(text, add_special_tokens=False).ids
            assert ours == theirs, (text[:40], ours[:20], theirs[:20])


def embed(network, tokenizer, prompt, text):
    """The unit vector of the mean over all tokens, as sentence-transformers computes it."""
    batch = tokenizer([prompt + text], truncation=True, max_length=TOKENS, return_tensors="pt")
    batch.pop("token_type_ids", None)
    with torch.no_grad():
        vectors = network(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    mean = (vectors * mask).sum(1) / mask.sum(1)
    return [round(x, 7) for x in torch.nn.functional.normalize(mean)[0].tolist()]


def main():
    torch.manual_seed(37)
    model = train()
    tokenizer = tokenizer_of(model)
    check_against_sentencepiece(tokenizer, model)
    tokenizer.save(str(FOLDER / "tokenizer.json"), pretty=False)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )

    shape = SHAPE | {"vocab_size": tokenizer.get_vocab_size()}
    config = XLMRobertaConfig(**shape, layer_norm_eps=1e-5, pad_token_id=1, bos_token_id=0, eos_token_id=2)
    network = XLMRobertaModel(config, add_pooling_layer=False).eval()
    for name, parameter in network.named_parameters():
        # Matrices larger than a network begins with, so that attention and activation are far from linear; the rest
        # smaller, so that each token counts.
        low, high = (0.5, 1.5) if name.endswith("LayerNorm.weight") else (-0.1, 0.1) if "bias" in name else (-1.0, 1.0)
        torch.nn.init.uniform_(parameter, low, high)
    tensors = {name: tensor.contiguous() for name, tensor in network.state_dict().items() if tensor.is_floating_point()}
    save_file(tensors, FOLDER / "model.safetensors")
    # The same weights as BERT reads them: multilingual-e5-small is a BERT with XLM-RoBERTa's tokenizer.
    as_bert = BertModel(BertConfig(**shape, layer_norm_eps=1e-5), add_pooling_layer=False).eval()
    as_bert.load_state_dict(tensors, strict=False)

    write = lambda name, value: (FOLDER / name).write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")
    kept = [*shape, "model_type", "layer_norm_eps", "pad_token_id"]
    write("config.json", {key: value for key, value in config.to_dict().items() if key in kept})
    expected = []
    for text in TEXTS:
        vectors = {role: embed(network, fast, prompt, text) for role, prompt in PROMPTS.items()}
        vectors["bert"] = embed(as_bert, fast, PROMPTS["passage"], text)
        vectors["plain"] = embed(network, fast, "", text)
        # A long text of one part is written as that part and how often it comes.
        part, times = next((text[:n], len(text) // n) for n in range(1, len(text) + 2) if text[:n] * (len(text) // n) == text)
        expected.append({"text": part, "times": times} | vectors)
    (FOLDER / "expected.json").write_text(
        "[" + ",\n".join(json.dumps(line, ensure_ascii=False) for line in expected) + "]\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
