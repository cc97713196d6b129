import { inject } from 'vitest'
import { clientContract } from '../contracts/client.ts'

clientContract('Chromium', () => inject('api'))
