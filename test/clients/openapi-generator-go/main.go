package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"example.com/chain/api"
)

func main() {
	configuration := api.NewConfiguration()
	configuration.Servers = api.ServerConfigurations{{URL: os.Getenv("API_URL")}}
	client := api.NewAPIClient(configuration)
	vendorID := os.Getenv("VENDOR_ID")

	vendor := context.WithValue(context.Background(), api.ContextAccessToken, os.Getenv("API_TOKEN"))
	file, err := os.Open(os.Getenv("PACKAGE"))
	check(err)
	imported, _, err := client.ImportsAPI.ImportModule(vendor, vendorID).File(file).Execute()
	check(err)
	moduleID := imported.GetModuleId()
	key, _, err := client.APIClientsAPI.RegisterApiClient(vendor, vendorID, moduleID).
		RegisterApiClient(*api.NewRegisterApiClient()).Execute()
	check(err)

	keys := map[string]api.APIKey{"apiKey": {Key: key.GetClientSecret()}}
	backEnd := context.WithValue(context.Background(), api.ContextAPIKeys, keys)
	structures, _, err := client.MachineAccessAPI.ReadModuleStructures(backEnd, moduleID).Execute()
	check(err)
	farm := structures.Organizations[0].Farms[0]
	if farm.Id != os.Getenv("FARM_ID") {
		log.Fatalf("the farm is %s", farm.Id)
	}

	target := api.NewAlertTargetInput("farm", farm.Id)
	alert := api.NewAlertInput(os.Getenv("RULE_ID"), *target, "firing", "warning", time.Now(),
		"Dry soil at "+farm.Name, "Irrigate within two days.")
	alert.SetValue(18.5)
	alert.SetLabels(map[string]string{"client": os.Getenv("CLIENT")})
	batch := api.NewRaiseAlerts([]api.AlertInput{*alert})
	raised, _, err := client.MachineAccessAPI.RaiseAlerts(backEnd, moduleID).RaiseAlerts(*batch).Execute()
	check(err)
	fmt.Println(*raised.Results[0].Outcome)
}

func check(err error) {
	var refusal *api.GenericOpenAPIError
	if errors.As(err, &refusal) {
		log.Fatal(string(refusal.Body()))
	}
	if err != nil {
		log.Fatal(err)
	}
}
