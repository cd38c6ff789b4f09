package uia

// Connect returns a client for the elements of the desktop. Where there is no UI Automation,
// it tells of those with window handles.
func Connect(o Options) *Client {
	byHandle := named{"h", handles{}}
	a, err := startAutomation(func() (*object, error) { return newObject(clientClass, interfaces["IUIAutomation"]) })
	if err != nil {
		return newClient(o, byHandle)
	}
	return newClient(o, named{"u", a}, byHandle)
}
