import os
from datetime import datetime, timezone
from uuid import UUID

from client import AuthenticatedClient
from client.api.api_clients import register_api_client
from client.api.imports import import_module
from client.api.machine_access import raise_alerts, read_module_structures
from client.models import (
    AlertInput,
    AlertInputLabelsType0,
    AlertInputSeverity,
    AlertInputStatus,
    AlertTargetInput,
    AlertTargetInputType,
    ApiKeyWithSecret,
    ImportSuccess,
    ModuleStructures,
    PackageUpload,
    RaiseAlerts,
    RaisedAlerts,
)
from client.types import File

URL = os.environ["API_URL"]
VENDOR_ID = UUID(os.environ["VENDOR_ID"])

vendor = AuthenticatedClient(base_url=URL, token=os.environ["API_TOKEN"])
with open(os.environ["PACKAGE"], "rb") as package:
    upload = PackageUpload(file=File(payload=package, file_name="module.zip"))
    imported = import_module.sync(VENDOR_ID, client=vendor, body=upload)
assert isinstance(imported, ImportSuccess), imported
assert imported.module_id is not None

key = register_api_client.sync(VENDOR_ID, imported.module_id, client=vendor)
assert isinstance(key, ApiKeyWithSecret), key

back_end = AuthenticatedClient(URL, key.client_secret, prefix="", auth_header_name="X-Api-Key")
structures = read_module_structures.sync(imported.module_id, client=back_end)
assert isinstance(structures, ModuleStructures), structures
[farm] = [each for each in structures.organizations[0].farms if str(each.id) == os.environ["FARM_ID"]]

alert = AlertInput(
    rule_id=UUID(os.environ["RULE_ID"]),
    target=AlertTargetInput(type_=AlertTargetInputType.FARM, id=farm.id),
    status=AlertInputStatus.FIRING,
    severity=AlertInputSeverity.WARNING,
    starts_at=datetime.now(timezone.utc),
    title=f"Dry soil at {farm.name}",
    message="Irrigate within two days.",
    value=18.5,
    labels=AlertInputLabelsType0.from_dict({"client": os.environ["CLIENT"]}),
)
raised = raise_alerts.sync(imported.module_id, client=back_end, body=RaiseAlerts(alerts=[alert]))
assert isinstance(raised, RaisedAlerts), raised
print(raised.results[0].outcome.value)
