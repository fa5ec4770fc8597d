"""Receives webhooks, with only Python: python3 webhooks.py [PORT]

From the environment: ASSAY_API_SECRET. Hosted orders need an HTTPS address, so put a TLS proxy in front of this.
"""

import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

from signature import signature_of


# #region verify
def is_verified(headers, path, body):
    """Whether a webhook is genuine and recent. path and body must be exactly as received."""
    timestamp, given = headers.get("X-Timestamp", ""), headers.get("X-Signature", "")
    if not re.fullmatch("[0-9]{13}", timestamp) or abs(time.time() * 1000 - int(timestamp)) > 5 * 60_000:
        return False
    # The line "webhook" comes first: it tells the signature of a webhook from that of a request.
    right = signature_of(os.environ["ASSAY_API_SECRET"], f"webhook\n{timestamp}", "POST", path, body=body)
    # There are several signatures while you change keys.
    return any(hmac.compare_digest(each.encode(), right.encode()) for each in given.split(" "))
# #endregion verify


# #region receive
# The highest sequence handled for each order and refund. In your own program, keep it in the database.
handled = {}


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not is_verified(self.headers, self.path.split("?")[0], body):
            print("not verified", flush=True)
            return self.answer(401)
        event = json.loads(body)
        order_or_refund = event.get("refundOrderId") or event["acquiringOrderId"]
        if event["sequence"] > handled.get(order_or_refund, 0):
            handled[order_or_refund] = event["sequence"]
            # Only queue the work here; do it after the answer.
            print("handled", order_or_refund, event["status"], flush=True)
        else:
            print("repeated or late", order_or_refund, event["status"], flush=True)
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()
# #endregion receive

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8090), Receiver)
print("listening", server.server_address, flush=True)
server.serve_forever()
