FROM python:3.13-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=0 PIP_NO_CACHE_DIR=1 MALLOC_ARENA_MAX=2

RUN useradd --create-home --uid 10001 openclaw
WORKDIR /home/openclaw/app

COPY requirements.txt ./
RUN pip install --disable-pip-version-check -r requirements.txt

COPY . .
RUN python -m compileall -q . && mkdir /home/openclaw/var && chown openclaw /home/openclaw/var

USER openclaw
ENV OPENCLAW_HOME=/home/openclaw/var OPENCLAW_BIND=0.0.0.0
VOLUME /home/openclaw/var
EXPOSE 18789
STOPSIGNAL SIGTERM

# One container with everything; docker-compose.yml runs the processes apart.
CMD ["python", "-m", "openclaw_site.supervisor"]
