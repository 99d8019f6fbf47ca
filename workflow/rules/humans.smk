"""Models that do not depend on trained agents: of humans, and of the recorded robots that judge translations."""


rule fit_human_models:
    """Fit p(z | x) of human speakers to either half of the human traces, and the model human to the half that judges."""
    input:
        game=files_of("game"),
        human=files_of("human"),
    output:
        speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        judging="<humans>/{task}/seed{seed}/judging_speaker.safetensors",
        listener="<humans>/{task}/seed{seed}/human_listener.safetensors",
    log:
        "<logs>/{task}/seed{seed}/fit_human_models.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/fit_human_models.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        fit=setting("speakers.{task}"),
        game=setting("games.{task}"),
        code=code("fit_human_models"),
    script:
        "../scripts/fit_human_models.py"


rule fit_judges:
    """Fit p(z | x) of the robots that judge translations to messages that the dictionary does not see."""
    input:
        states="<data>/{task}/states.parquet",
        recorded="<data>/{task}/recorded.parquet",
    output:
        dev="<humans>/{task}/seed{seed}/judge_dev.safetensors",
        test="<humans>/{task}/seed{seed}/judge_test.safetensors",
    log:
        "<logs>/{task}/seed{seed}/fit_judges.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/fit_judges.tsv"
    wildcard_constraints:
        task=among(tasks.corpora()),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(20),
    params:
        fit=setting("speakers.{task}"),
        game=setting("games.{task}"),
        code=code("fit_judges"),
    script:
        "../scripts/fit_judges.py"
