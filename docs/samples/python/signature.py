# #region sign
import hashlib
import hmac
from base64 import b64encode


def signature_of(secret, timestamp, method, path, query="", body=b""):
    """The value of X-Signature. timestamp: the text of X-Timestamp; path and query: as sent; body: its bytes."""
    components = [timestamp, method, path]
    if method == "POST" or query:
        hashed = body if method == "POST" else query.encode()
        components.append(b64encode(hashlib.sha256(hashed).digest()).decode())
    message = "\n".join(components)
    return b64encode(hmac.new(secret.encode(), message.encode(), hashlib.sha256).digest()).decode()
# #endregion sign
