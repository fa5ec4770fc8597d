"""A merchant's requests, with only Python: python3 merchant.py create|query|checkout|refund …

From the environment: ASSAY_TARGET, the address before /api/v1; ASSAY_MERCHANT_ID, ASSAY_API_KEY, ASSAY_API_SECRET.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from datetime import datetime, timedelta, timezone

from signature import signature_of

TARGET = os.environ["ASSAY_TARGET"]
MERCHANT = "/api/v1/merchants/" + os.environ["ASSAY_MERCHANT_ID"]


# #region send
def send(method, path, query="", content=None):
    """Sends a signed request and prints the answer. A code other than 00000 ends the program."""
    body = b"" if content is None else json.dumps(content).encode()
    timestamp = str(int(time.time() * 1000))
    headers = {
        "Content-Type": "application/json",
        "X-Api-Key": os.environ["ASSAY_API_KEY"],
        "X-Timestamp": timestamp,
        "X-Signature": signature_of(os.environ["ASSAY_API_SECRET"], timestamp, method, path, query, body),
    }
    url = TARGET + path + ("?" + query if query else "")
    request = urllib.request.Request(url, body or None, headers, method=method)
    try:
        answer = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as refused:  # its body says why
        answer = refused
    text = answer.read().decode()
    print(text)
    if json.loads(text)["code"] != "00000":
        sys.exit(1)
# #endregion send


def in_half_an_hour():
    return (datetime.now(timezone.utc) + timedelta(minutes=30)).strftime("%Y-%m-%dT%H:%M:%SZ")


# #region create
def create(merchant_order_id=None):
    order = {
        "merchantOrderId": merchant_order_id or f"order-{uuid.uuid4()}",
        "orderAmount": {"value": "25.50", "currency": "USDT"},  # text, never a number
        "expiresAt": in_half_an_hour(),
        "returnUrl": "https://shop.example/thanks",
    }
    send("POST", MERCHANT + "/orders", content=order)
# #endregion create


# #region query
def query(merchant_order_id):
    send("GET", MERCHANT + "/orders/" + urllib.parse.quote(merchant_order_id, safe=""))
# #endregion query


# #region checkout
def checkout(merchant_order_id=None):
    order = {
        "merchantOrderId": merchant_order_id or f"order-{uuid.uuid4()}",
        "orderAmount": {"value": "25.50", "currency": "USDT"},
        "paymentMethodType": "ON_CHAIN_TRANSFER",
        "network": "tron",
        "expiresAt": in_half_an_hour(),
    }
    send("POST", MERCHANT + "/checkout/orders", content=order)
# #endregion checkout


# #region refund
def refund(order_id):
    request = {
        "merchantRefundOrderId": f"refund-{uuid.uuid4()}",
        "acquiringOrderId": order_id,  # the platform's id of the order
        "refundReason": "The customer sent it back.",
    }
    send("POST", MERCHANT + "/refunds", content=request)
    send("GET", MERCHANT + "/refunds", query="merchantRefundOrderId=" + request["merchantRefundOrderId"])
# #endregion refund


COMMANDS = {"create": create, "query": query, "checkout": checkout, "refund": refund}

if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
    sys.exit("usage: merchant.py " + "|".join(COMMANDS) + " …")
COMMANDS[sys.argv[1]](*sys.argv[2:])
