package kinds

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"understudy/steps"
)

// Log writes a line into the log of the run.
var Log = steps.Define(steps.Kind{
	Name:    "log",
	Summary: "Write a line into the log of the run.",
	Toolset: steps.Flow,
	Reads:   true,
}, LogArgs{Level: "info"}, writeLog)

// LogArgs says what to write.
type LogArgs struct {
	Message string         `json:"message" jsonschema:"the line"`
	Level   LogLevel       `json:"level,omitzero" jsonschema:"how important it is"`
	Data    map[string]any `json:"data,omitzero" jsonschema:"values to write beside it"`
}

// LogLevel is how important a line is.
type LogLevel string

func (LogLevel) Words() []string {
	return []string{"debug", "info", "warn", "error"}
}

// LogResult repeats the line.
type LogResult struct {
	Message string `json:"message" jsonschema:"the line that was written"`
}

func writeLog(ctx context.Context, env *steps.Env, a LogArgs) (LogResult, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(a.Level)); err != nil {
		return LogResult{}, steps.Errorf(steps.Invalid, "level: %w", err)
	}
	attrs := make([]slog.Attr, 0, len(a.Data))
	for _, name := range slices.Sorted(maps.Keys(a.Data)) {
		attrs = append(attrs, slog.Any(name, a.Data[name]))
	}
	env.Logger().LogAttrs(ctx, level, a.Message, attrs...)
	return LogResult{a.Message}, nil
}
