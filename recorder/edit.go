package recorder

// Edit is what a person does to a step. It is an event, so that compiling again repeats it.
type Edit struct {
	Action EditAction `json:"action"`
	// Step is its number at that time, from 1; 0 is the last that the action fits.
	Step int `json:"step,omitempty"`
	// Text is the step's new name, a note, or the name of a variable.
	Text string `json:"text,omitempty"`
	// To is the number that a moved step gets.
	To int `json:"to,omitempty"`
}

// EditAction is what is done to a step.
type EditAction string

// The actions.
const (
	Remove       EditAction = "remove"
	Move         EditAction = "move"
	Rename       EditAction = "rename"
	Annotate     EditAction = "note"
	Confirm      EditAction = "confirm"  // what is uncertain about it is right
	MakeVariable EditAction = "variable" // its typed value is a variable
	MakeConstant EditAction = "constant" // and this keeps it in the step
	MakeSecret   EditAction = "secret"   // and this forgets it, in all that was kept
)
