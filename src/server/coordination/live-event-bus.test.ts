import { describeEventBus } from "./event-bus.test-support";
import { createEventBus } from "./live-event-bus";

describeEventBus(createEventBus);
