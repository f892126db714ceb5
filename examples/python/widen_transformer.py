# SPDX-License-Identifier: Apache-2.0
"""Transformers of Hugging Face that classify are widened as they are, with the batches that they were trained on.

Three small transformers, made from a configuration so that nothing is fetched, learn whether a sequence holds more of
the tokens 1 to 9 than of the tokens 10 to 19. Sequences of tokens that they never saw are foreign to them.

Usage: python examples/python/widen_transformer.py
"""

import sys

import torch

try:
    import transformers
except ImportError:
    sys.exit(print("skipped: transformers are not installed: pip install transformers"))

import credens.torch

MEMBERS = 3
ROWS, LENGTH = 256, 12
LAMBDA = 1.0


def sequences(count, first, last):
    tokens = torch.randint(first, last + 1, (count, LENGTH))
    tokens[:, LENGTH // 2 :][torch.rand(count, LENGTH // 2) < 0.3] = 0  # padding
    return {"input_ids": tokens, "attention_mask": (tokens > 0).long()}


def labelled(count):
    batch = sequences(count, 1, 19)
    tokens = batch["input_ids"]
    batch["labels"] = (((tokens > 0) & (tokens < 10)).sum(1) > (tokens >= 10).sum(1)).long()
    return batch


def train(batches, seed):
    torch.manual_seed(seed)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    config = transformers.BertConfig(vocab_size=40, max_position_embeddings=LENGTH, num_labels=2, **sizes)
    model = transformers.BertForSequenceClassification(config)
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3, weight_decay=LAMBDA / ROWS)
    for _ in range(12):
        for batch in batches:
            optimiser.zero_grad()
            model(**batch).loss.backward()
            optimiser.step()
    return model


def main():
    torch.manual_seed(0)
    rows = labelled(ROWS)
    batches = [{name: part[first : first + 32] for name, part in rows.items()} for first in range(0, ROWS, 32)]
    models = [train(batches, seed) for seed in range(MEMBERS)]

    # Batches are mappings with labels; what is left goes to the networks by name, whose result has logits.
    wide = credens.torch.widen(models, batches, likelihood="softmax", prior_precision=LAMBDA, classes=["high", "low"])
    print(wide)
    scores = credens.score(wide, [labelled(200)])
    print(f"accuracy {scores.extended.accuracy:.3f}, log loss {scores.extended.log_loss:.3f}")
    for name, tokens in (("known", (1, 19)), ("foreign", (20, 39))):
        p = wide.predict(sequences(200, *tokens))
        print(f"{name:8} entropy {float(p.entropy.mean()):.3f}, of which ignorance {float(p.epistemic.mean()):.3f}")


if __name__ == "__main__":
    main()
