# The whole project as a Docker image:
#   docker build -t neuralese .
#   docker run --rm -v "$PWD/results:/neuralese/results" neuralese                           # the default run, on all cores
#   docker run --rm -v "$PWD/results:/neuralese/results" neuralese --configfile quick        # arguments of `neuralese run`
FROM python:3.12-slim

RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /neuralese
COPY . .
RUN pip install --no-cache-dir -c constraints.txt -e ".[all]"

ENTRYPOINT ["neuralese", "run"]
