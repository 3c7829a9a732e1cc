import java.io.File;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.ApiClientsApi;
import org.openapitools.client.api.ImportsApi;
import org.openapitools.client.api.MachineAccessApi;
import org.openapitools.client.model.AlertInput;
import org.openapitools.client.model.AlertTargetInput;
import org.openapitools.client.model.Farm;
import org.openapitools.client.model.RaiseAlerts;

public class Main {
    public static void main(String[] arguments) throws Exception {
        Map<String, String> env = System.getenv();
        UUID vendorId = UUID.fromString(env.get("VENDOR_ID"));

        ApiClient vendor = new ApiClient();
        vendor.setBasePath(env.get("API_URL"));
        vendor.setBearerToken(env.get("API_TOKEN"));
        File module = new File(env.get("PACKAGE"));
        UUID moduleId = new ImportsApi(vendor).importModule(vendorId, module).execute().getModuleId();
        String key = new ApiClientsApi(vendor).registerApiClient(vendorId, moduleId).execute().getClientSecret();

        ApiClient backEnd = new ApiClient();
        backEnd.setBasePath(env.get("API_URL"));
        backEnd.setApiKey(key);
        MachineAccessApi machine = new MachineAccessApi(backEnd);
        List<Farm> farms =
            machine.readModuleStructures(moduleId).execute().getOrganizations().get(0).getFarms();
        UUID farmId = UUID.fromString(env.get("FARM_ID"));
        Farm farm = farms.stream().filter(each -> each.getId().equals(farmId)).findFirst().get();

        AlertInput alert = new AlertInput()
            .ruleId(UUID.fromString(env.get("RULE_ID")))
            .target(new AlertTargetInput().type(AlertTargetInput.TypeEnum.FARM).id(farm.getId()))
            .status(AlertInput.StatusEnum.FIRING)
            .severity(AlertInput.SeverityEnum.WARNING)
            .startsAt(OffsetDateTime.now())
            .title("Dry soil at " + farm.getName())
            .message("Irrigate within two days.")
            .value(18.5)
            .putLabelsItem("client", env.get("CLIENT"));
        RaiseAlerts batch = new RaiseAlerts().addAlertsItem(alert);
        System.out.println(machine.raiseAlerts(moduleId, batch).execute().getResults().get(0).getOutcome().getValue());
    }
}
