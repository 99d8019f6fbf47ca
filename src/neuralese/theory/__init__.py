"""The paper's two propositions and its shapes example, on games small enough to enumerate."""
