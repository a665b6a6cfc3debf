// Where messages come in and go out. Only the window that embeds us is heard.

export interface Port {
  post(message: unknown): void;
  /** listen hears each message of the host; the function it returns stops that. */
  listen(hear: (message: unknown) => void): () => void;
}

/** The parts of a window that a port needs. */
export interface FramedWindow {
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void };
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  removeEventListener(type: "message", listener: (event: MessageEvent) => void): void;
}

export function parentPort(frame: FramedWindow): Port {
  return {
    // The host's origin is not known to a view, and what goes out is for whoever embeds it.
    post: (message) => frame.parent.postMessage(message, "*"),
    listen(hear) {
      const listener = (event: MessageEvent): void => {
        // The source tells the parent from sibling frames and from windows that we were opened by; an origin can't.
        if (event.source === null || event.source !== (frame.parent as unknown)) return;
        hear(event.data);
      };
      frame.addEventListener("message", listener);
      return () => frame.removeEventListener("message", listener);
    },
  };
}
