package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// tracesFlush is how long the last spans may take to leave at the end.
const tracesFlush = 3 * time.Second

// tracesWanted reads from OpenTelemetry's own variables whether spans are to be made, and what of them is not served.
func tracesWanted(environment func(string) string) (wanted bool, doubts []string) {
	if strings.EqualFold(environment("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	endpoint := environment("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") + environment("OTEL_EXPORTER_OTLP_ENDPOINT")
	switch exporter := environment("OTEL_TRACES_EXPORTER"); exporter {
	case "":
		wanted = endpoint != ""
	case "otlp":
		wanted = true
	case "none":
	default:
		doubts = append(doubts, "OTEL_TRACES_EXPORTER")
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := environment(name); wanted && protocol != "" && protocol != "http/protobuf" {
			doubts = append(doubts, name)
		}
	}
	return wanted, doubts
}

// startTracing returns what makes spans, nil where the environment asks for none; then nothing runs and nothing is
// dialled. stop sends what is left.
func startTracing(ctx context.Context, log *slog.Logger) (tracer trace.Tracer, stop func(), err error) {
	wanted, doubts := tracesWanted(os.Getenv)
	for _, name := range doubts {
		log.Warn("doubtful configuration", slog.String("variable", name),
			slog.String("reason", "is not served: spans leave by OTLP over HTTP, protobuf, or not at all"))
	}
	if !wanted {
		return nil, func() {}, nil
	}
	otel.SetLogger(logr.Discard()) // it would write to standard error beside the log
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("spans were lost", slog.Any("err", err))
	}))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("OpenTelemetry exporter: %w", err)
	}
	itself, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "tomtom-mcp-gateway"), attribute.String("service.version", buildVersion())),
		resource.WithTelemetrySDK(),
		resource.WithFromEnv(), // OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
	)
	if err != nil {
		return nil, nil, fmt.Errorf("OpenTelemetry resource: %w", err)
	}
	// The sampler and the batches are as OTEL_TRACES_SAMPLER and OTEL_BSP_* say.
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(itself))
	return provider.Tracer("tomtom-mcp-gateway"), func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), tracesFlush)
		defer cancel()
		_ = provider.Shutdown(limited) // what could not be sent the error handler has said
	}, nil
}
