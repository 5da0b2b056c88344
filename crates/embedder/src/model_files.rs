//! The bytes of a model's files, as a caller read them from its folder.

/// The small files beside a model's weights.
#[derive(Debug, Clone, Copy, Default)]
pub struct ModelFiles<'a> {
    /// A Hugging Face tokenizer.json.
    pub tokenizer: &'a [u8],
    /// config.json, if there is one.
    pub config: Option<&'a [u8]>,
    /// sentence_bert_config.json, if there is one; of encoders only.
    pub sentence_config: Option<&'a [u8]>,
    /// 1_Pooling/config.json, if there is one; of encoders only.
    pub pooling_config: Option<&'a [u8]>,
}
