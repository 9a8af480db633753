"""What a build did: the funnel and the paper's figures, as tables and as a picture."""
