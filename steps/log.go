package steps

// Log writes a line into the log of the run.
var Log = Define[LogArgs, LogResult](Kind{
	Name:    "log",
	Summary: "Write a line into the log of the run.",
	Toolset: Flow,
	Reads:   true,
}, LogArgs{Level: Info}, nil)

// LogArgs says what to write.
type LogArgs struct {
	Message string         `json:"message" jsonschema:"the line"`
	Level   LogLevel       `json:"level,omitzero" jsonschema:"how important it is"`
	Data    map[string]any `json:"data,omitzero" jsonschema:"values to write beside it"`
}

// LogLevel is how important a line is.
type LogLevel string

// The levels.
const (
	Debug LogLevel = "debug"
	Info  LogLevel = "info"
	Warn  LogLevel = "warn"
	Fatal LogLevel = "error"
)

// LogResult repeats the line.
type LogResult struct {
	Message string `json:"message" jsonschema:"the line that was written"`
}
