package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"example.com/chain/api"
	"github.com/google/uuid"
)

func main() {
	ctx := context.Background()
	vendorID := uuid.MustParse(os.Getenv("VENDOR_ID"))

	vendor := client("Authorization", "Bearer "+os.Getenv("API_TOKEN"))
	contentType, form := upload(os.Getenv("PACKAGE"))
	imported, err := vendor.ImportModuleWithBodyWithResponse(ctx, vendorID, nil, contentType, form)
	check(err)
	if imported.JSON200 == nil {
		log.Fatal(string(imported.Body))
	}
	moduleID := *imported.JSON200.ModuleId
	key, err := vendor.RegisterApiClientWithResponse(ctx, vendorID, moduleID, nil, api.RegisterApiClient{})
	check(err)
	if key.JSON200 == nil {
		log.Fatal(string(key.Body))
	}

	backEnd := client("X-Api-Key", *key.JSON200.ClientSecret)
	structures, err := backEnd.ReadModuleStructuresWithResponse(ctx, moduleID, nil)
	check(err)
	if structures.JSON200 == nil {
		log.Fatal(string(structures.Body))
	}
	farm := structures.JSON200.Organizations[0].Farms[0]
	if farm.Id.String() != os.Getenv("FARM_ID") {
		log.Fatalf("the farm is %s", farm.Id)
	}

	value := 18.5
	raised, err := backEnd.RaiseAlertsWithResponse(ctx, moduleID, nil, api.RaiseAlerts{Alerts: []api.AlertInput{{
		RuleId:   uuid.MustParse(os.Getenv("RULE_ID")),
		Target:   api.AlertTargetInput{Type: api.AlertTargetInputTypeFarm, Id: farm.Id},
		Status:   api.AlertInputStatusFiring,
		Severity: api.AlertInputSeverityWarning,
		StartsAt: time.Now(),
		Title:    "Dry soil at " + farm.Name,
		Message:  "Irrigate within two days.",
		Value:    &value,
		Labels:   &map[string]string{"client": os.Getenv("CLIENT")},
	}}})
	check(err)
	if raised.JSON200 == nil {
		log.Fatal(string(raised.Body))
	}
	fmt.Println(*raised.JSON200.Results[0].Outcome)
}

func client(header, value string) *api.ClientWithResponses {
	made, err := api.NewClientWithResponses(os.Getenv("API_URL"),
		api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set(header, value)
			return nil
		}))
	check(err)
	return made
}

func upload(path string) (string, io.Reader) {
	content, err := os.ReadFile(path)
	check(err)
	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
	part, err := form.CreateFormFile("file", "module.zip")
	check(err)
	_, err = part.Write(content)
	check(err)
	check(form.Close())
	return form.FormDataContentType(), body
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
