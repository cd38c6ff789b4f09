package uia

// clientClass is the ID of the class of clients of UI Automation.
const clientClass = "ff48dba4-60ef-4201-aa87-54103eef594e"

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
