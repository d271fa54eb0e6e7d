"""Django's settings. What the environment decides is read in `gateway_settings`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from openclaw_site.admin_theme import UNFOLD as UNFOLD
from openclaw_site.databases import database_entry
from openclaw_site.environment import env_flag
from openclaw_site.gateway_settings import gateway_settings_load
from openclaw_site.logs import logging_dictionary

BASE_DIR = Path(__file__).resolve().parent.parent
OPENCLAW = gateway_settings_load()

DEBUG = env_flag("OPENCLAW_DEBUG")
SECRET_KEY, *SECRET_KEY_FALLBACKS = OPENCLAW.signing_keys()
SECRET_ENCRYPTION_KEYS = OPENCLAW.encryption_keys()
ALLOWED_HOSTS = OPENCLAW.allowed_hosts
CSRF_TRUSTED_ORIGINS = OPENCLAW.trusted_origins

ROOT_URLCONF = "openclaw_site.urls"
ASGI_APPLICATION = "openclaw_site.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    # The theme replaces admin templates and so comes before the admin.
    "openclaw_site.admin_apps.ThemeConfig",
    "openclaw_site.admin_apps.OwnersAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "django_celery_beat",
    "agents",
    "tools",
    "sessions.apps.SessionsConfig",
    "channels_app",
    "scheduler",
    "openclaw_site.apps.SiteConfig",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "openclaw_site.middleware.headers.security_headers",
    "openclaw_site.middleware.static.static_files",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "openclaw_site.middleware.errors.ErrorMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "openclaw_site" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

LOGGING_CONFIG = "openclaw_site.logs.logging_apply"
LOGGING = logging_dictionary(OPENCLAW.home, debug=DEBUG)

DATABASES = {"default": database_entry(OPENCLAW.home)}

# --- signing in ------------------------------------------------------------------------------

LOGIN_URL = "/signin/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/signin/"
# Cookies know no port: gateways on one host would sign each other's people out.
SESSION_COOKIE_NAME = f"openclaw_session_{OPENCLAW.port}"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = OPENCLAW.is_https
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- transport -------------------------------------------------------------------------------

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
if OPENCLAW.is_https:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 30 * 24 * 3600
SILENCED_SYSTEM_CHECKS = [
    "security.W002",  # our own middleware sends X-Frame-Options
    "security.W005",  # we do not speak for other names of the domain
    "security.W008",  # redirecting to https is the proxy's work
    "security.W021",  # nor for the browsers' preload list
]
# A message may carry 20 MiB of attachments (design limit); JSON and form overhead on top.
DATA_UPLOAD_MAX_MEMORY_SIZE = 24 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_PERMISSIONS = 0o600

# --- language and time -----------------------------------------------------------------------

LANGUAGE_CODE = "en"
# Offered to people, so only languages whose catalogue stands in LOCALE_PATHS.
LANGUAGES = [("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- static files: served from the apps' own folders, no collecting step ----------------------

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
# Addresses carry no content hash, so browsers must ask (and get 304) each time.
WHITENOISE_MAX_AGE = 0
WHITENOISE_ALLOW_ALL_ORIGINS = False

# --- Celery: only a bell; rows, leases and the sweeper are the guard --------------------------

CELERY_BROKER_URL = OPENCLAW.broker_url
CELERY_BROKER_POOL_LIMIT = 10
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"global_keyprefix": "celery:"}
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_SEND_SENT_EVENT = False
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULER = "django_celery_beat.schedulers:DatabaseScheduler"
CELERY_BEAT_MAX_LOOP_INTERVAL = 1
# There are no results; without this, beat would schedule their removal.
CELERY_RESULT_EXPIRES = None
DJANGO_CELERY_BEAT_TZ_AWARE = True

# --- REST ------------------------------------------------------------------------------------

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "openclaw_site.errors.rest_error_response",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "OpenClaw for Django",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api",
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_NAME_OVERRIDES": {
        "CompactionOutcome": "sessions.models.Compaction.Outcome",
        "HookOutcome": "sessions.models.HookCall.Outcome",
        "ModelCallState": "sessions.models.ModelCall.State",
        "ReasoningLevel": "channels_app.rest.choices.REASONING_LEVELS",
        "RunFilter": "channels_app.rest.choices.RUN_FILTERS",
        "RunHappening": "channels_app.rest.choices.RUN_HAPPENINGS",
        "RunState": "channels_app.rest.choices.RUN_STATES",
        "ThinkingLevel": "channels_app.rest.choices.THINKING_LEVELS",
        "ToolCallState": "sessions.models.ToolCall.State",
        "TraceLevel": "channels_app.rest.choices.TRACE_LEVELS",
        "VerboseLevel": "channels_app.rest.choices.VERBOSE_LEVELS",
    },
}
