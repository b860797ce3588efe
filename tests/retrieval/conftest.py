"""Property tests without a deadline: the first example loads OpenCC's dictionaries."""

from hypothesis import settings

settings.register_profile("retrieval", deadline=None)
settings.load_profile("retrieval")
