"""A back end that verifies each call with the library as it is, and answers a new rule with an alert."""

import json
import os
import queue
import threading
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError

API = os.environ["API_URL"] + "/api/v8.0"
VENDOR_ID, FARMER_ID = os.environ["VENDOR_ID"], os.environ["FARMER_ID"]
MODULE_ID = os.environ["MODULE_ID"]
received = queue.Queue()


def call(method, path, body, **headers):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **{k.replace("_", "-"): v for k, v in headers.items()}}
    with urllib.request.urlopen(urllib.request.Request(API + path, data, headers, method=method)) as answer:
        return json.loads(answer.read() or b"null")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        received.put((body, dict(self.headers)))

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

bearer = {"Authorization": "Bearer " + os.environ["API_TOKEN"]}
url = f"http://127.0.0.1:{server.server_port}/hook"
webhook = call("POST", f"/{VENDOR_ID}/webhooks/{MODULE_ID}", {"url": url, "types": ["rule.created"]}, **bearer)
values = {"operator": "lt", "value": 20}
rule = {"moduleId": MODULE_ID, "criteria": "soilMoisture", "values": values}
made = call("POST", f"/{FARMER_ID}/alertRules", rule, **bearer)

library = Webhook(webhook["secret"])
body, headers = received.get(timeout=120)
event = library.verify(body, headers)
assert event["type"] == "rule.created" and event["data"]["ruleId"] == made["id"], event
for wrong_body, wrong_library in [(body + b" ", library), (body, Webhook("whsec_" + "A" * 43 + "="))]:
    try:
        wrong_library.verify(wrong_body, headers)
    except WebhookVerificationError:
        continue
    raise AssertionError("a forged call is accepted")

alert = {
    "ruleId": event["data"]["ruleId"],
    "target": {"type": "farm", "id": os.environ["FARM_ID"]},
    "status": "firing",
    "severity": "warning",
    "startsAt": datetime.now(timezone.utc).isoformat(),
    "title": "Dry soil",
    "message": "Irrigate within two days.",
    "labels": {"client": os.environ["CLIENT"]},
}
key = {"X_Api_Key": os.environ["API_KEY"]}
raised = call("POST", f"/Alerts/AlertsByModuleId/{MODULE_ID}", {"alerts": [alert]}, **key)
call("DELETE", f"/{VENDOR_ID}/webhooks/{MODULE_ID}/{webhook['id']}", None, **bearer)
print(raised["results"][0]["outcome"])
