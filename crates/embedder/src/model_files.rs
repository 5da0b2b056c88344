//! The bytes of a model's files, as a caller read them from its folder.

/// The small files beside a model's weights.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelFiles<'a> {
    /// The model's name, if it is known: its folder. A name with "e5" says that the model wants prompts.
    pub name: &'a str,
    /// A Hugging Face tokenizer.json.
    pub tokenizer: &'a [u8],
    /// vocab.txt of a BERT whose folder has no tokenizer.json; only for encoders, and only read if `tokenizer` is
    /// empty.
    pub vocabulary: Option<&'a [u8]>,
    /// config.json, if there is one.
    pub config: Option<&'a [u8]>,
    /// sentence_bert_config.json, if there is one; only for encoders.
    pub sentence_config: Option<&'a [u8]>,
    /// 1_Pooling/config.json, if there is one; only for encoders.
    pub pooling_config: Option<&'a [u8]>,
    /// config_sentence_transformers.json, if there is one, for its `prompts`; only for encoders.
    pub sentence_transformers_config: Option<&'a [u8]>,
    /// tokenizer_config.json, if there is one: for its `model_max_length` (only for cross-encoders), and for the
    /// settings by which words of vocab.txt are made.
    pub tokenizer_config: Option<&'a [u8]>,
    /// prompts.json, if the user wrote one: `{"query": "query: ", "passage": "passage: "}`, both empty for a model that
    /// wants none. It goes before the model's own `prompts`.
    pub prompts: Option<&'a [u8]>,
}
