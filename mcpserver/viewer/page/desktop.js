// Shows a desktop live. Who has it acts there; everybody else looks.
import RFB from "/pages/novnc/core/rfb.js";

const screen = document.getElementById("screen"), status = document.getElementById("view-status");
const address = new URL(screen.dataset.liveView, location.href);
address.protocol = address.protocol.replace("http", "ws");
const acts = "acts" in screen.dataset;

const rfb = new RFB(screen, address.href, { wsProtocols: ["binary"] });
rfb.viewOnly = !acts;
rfb.scaleViewport = true;
rfb.background = "transparent";
rfb.addEventListener("connect", () => {
	status.textContent = acts ? "The desktop is yours." : "You watch. Password fields are black.";
	screen.dataset.connected = "";
	if (acts) rfb.focus();
});

// What the page says may be true no more when the view has ended, so it is loaded
// again as soon as the server answers.
rfb.addEventListener("disconnect", () => {
	status.textContent = "The view has ended.";
	delete screen.dataset.connected;
	const again = async () => {
		const answer = await fetch(location.href).catch(() => null);
		if (answer?.ok) location.reload();
		else setTimeout(again, 3000);
	};
	setTimeout(again, 3000);
});
