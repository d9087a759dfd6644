# docker build -t tdl . && docker run --rm -v "$PWD/outputs:/outputs" tdl run tuples=4x6 alpha=0.1
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN TDL_LIMITED=1 pip wheel --no-deps -w /wheel .

FROM python:3.11-slim
COPY --from=build /wheel /wheel
RUN pip install --no-cache-dir /wheel/*.whl && rm -r /wheel
WORKDIR /
VOLUME /outputs
ENTRYPOINT ["tdl"]
CMD ["--help"]
