package steps

// Verify says what must, or must not, be on the screen after an action.
type Verify struct {
	VerifyElementExists    Selector `json:"verify_element_exists,omitzero" jsonschema:"an element that must be there afterwards"`
	VerifyElementNotExists Selector `json:"verify_element_not_exists,omitzero" jsonschema:"an element that must be gone afterwards"`
	VerifyTimeoutMS        Millis   `json:"verify_timeout_ms,omitzero" jsonschema:"how long to wait for that"`
}

var verify = Verify{VerifyTimeoutMS: 2000}
